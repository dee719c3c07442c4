"""Array files: values on disk, and the checks of their structure."""
