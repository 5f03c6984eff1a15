"""What outgrows one process, on Spark; the only floor that knows PySpark."""
