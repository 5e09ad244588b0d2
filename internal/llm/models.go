package llm

func baseName(model string) string { return model }
