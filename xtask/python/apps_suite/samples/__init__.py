"""Files for the programs: pictures of text, speech, files of many types, sentences."""
