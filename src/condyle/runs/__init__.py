"""One model, many runs: plans of cases, the processes that run them, and what they give."""
