"""Why so few moments of a point are clean, from the marks of its blocks.

A cause is stated only if it concerns at least half of all moments:

- others had the CPU of a thread: a context switch, or time that the hypervisor took. Then the machine is busy.
- another mark: the clocks differ, or a thread has moved.
- neither, although fewer than half of the moments are left: the rest followed an interruption too soon (`point`).

Where most moments are clean, the point was too short.
Blind to who interrupted: another program, the kernel, or another guest.
"""

from dataclasses import dataclass

MOST = 0.5  # of the moments, at least: a smaller part cannot be why few are left
BUSY = "the machine is busy"
OTHER_MARKS = "in most others the clocks differ, or a thread has moved"


@dataclass(frozen=True, slots=True)
class Lost:
    """taken: moments at which others had the CPU of a thread; marked: moments with any mark that makes them unclean.

    clean: moments at which all threads are undisturbed; rarest: at which the thread that is disturbed most is. It is 0
    where common moments follow an interruption sooner than those of one thread, and where no threads are known.
    """

    taken: int
    marked: int
    clean: int = 0
    rarest: int = 0

    def share_of_a_thread(self, kept: int, total: int) -> float:
        """Return the share of the moments that are left of the thread that is disturbed most. kept: those of all.

        Two threads that each lose two thirds of their moments have a tenth in common. They are then as warm as one such
        thread is, unless they are interrupted in step.
        """
        return max(kept, kept * self.rarest / self.clean) / total if self.clean else kept / total

    def busy(self, total: int) -> str:
        """Return ', 93 % interrupted: the machine is busy' where others had a CPU most of the time, else ""."""
        share = self.taken / total if total else 0.0
        return f", {100 * share:.0f} % interrupted: {BUSY}" if share >= MOST else ""

    def why(self, kept: int, total: int) -> str:
        """Return why only `kept` of `total` moments are left, as ', 93 % interrupted: ...'; "" if most of them are."""
        if busy := self.busy(total):
            return busy
        if total and self.marked >= MOST * total:
            return f": {OTHER_MARKS}"
        return ": most others followed an interruption too soon" if kept < MOST * total else ""


NONE = Lost(0, 0)
