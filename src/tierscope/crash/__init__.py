"""Crash safety: the file that a writer maps is judged as if the power had failed at many moments of its run.

What has persisted by then is known from the writer's own flushes and fences, which a library before libpmem sees
(core/shadow/image.hpp says which states of memory a power cut may leave). Blind to: writers that flush by instructions
of their own, by libpmem2 or in several processes.
"""
