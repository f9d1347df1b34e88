"""Statistics: from raw blocks to intervals, verdicts, levels and knees. No files, no clock, no machine."""
