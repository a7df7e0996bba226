"""From a turn to the messages a model reads. Pure: stable text first, so that prefix caches hit.

The last message holds the passages and the question in the tags below; whoever reads a prompt back (the
stand-in model does) may rely on this form:

    <sources>
    <source n="1" title="Handbook">
    text of the passage
    </source>
    </sources>

    <question>
    How do I start it?
    </question>
"""
