def run(suite):
    pass
