"""Crash safety: the file that a writer maps is judged as if the power had failed at many moments of its run.

The writer's own flushes and fences determine what has persisted by then; a library before libpmem observes them
(core/shadow/image.hpp states which contents of memory a power failure may leave). Blind to: writers that flush by
instructions of their own, by libpmem2 or in several processes.
"""
