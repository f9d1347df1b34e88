"""How fast is a file or a block device, by fio?"""
