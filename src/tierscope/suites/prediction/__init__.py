"""The predictions of a model for a program on other memories (`tierscope predict -- PROGRAM --out`)."""
