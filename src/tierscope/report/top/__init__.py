"""The top of a page: one sentence, three answers, at most six numbers, at most three next steps."""
