"""Papers as a workbook (XLSX) and as printed pages (PDF), made of the lines of their CSV. It computes no
figure, and never asks the database."""
