"""The dealer's API: JSON in, one verb or report, JSON out. It knows no rule and no form."""
