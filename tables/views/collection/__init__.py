"""The desk of the collection: open fees, rates, reasons to waive. It never computes a fee."""
