package tools

// peakMemory returns 0, because the value is not known.
func peakMemory() int64 { return 0 }
