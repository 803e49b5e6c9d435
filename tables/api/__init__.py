"""The dealer's API: JSON in, one verb or report, JSON out. It never decides a rule and knows no form."""
