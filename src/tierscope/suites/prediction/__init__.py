"""What a model said of a program on other memories (`tierscope predict -- PROGRAM --out`)."""
