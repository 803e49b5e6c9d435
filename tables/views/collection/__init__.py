"""The desk of the collection: open fees, rates, reasons to waive. It computes no fee."""
