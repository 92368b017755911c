"""Makes the pages of the site that nobody writes by hand, and checks what was built."""
