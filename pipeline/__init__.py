"""Work that needs more than one process: on Spark, or in processes of this machine."""
