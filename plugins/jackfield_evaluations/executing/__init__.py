"""Executions on behalf of evaluations: started, waited for, and what they have cost."""
