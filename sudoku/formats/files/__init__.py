"""The forms of whole files, a module for each: tables, JSON, XML, links and arrays; and which of them a line begins."""
