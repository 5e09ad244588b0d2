package shell

// A HeadWriter is a writer for RunWithInput that keeps only the first Most bytes.
type HeadWriter struct {
	Kept []byte
	Most int
}

// Write implements io.Writer.
func (b *HeadWriter) Write(data []byte) (int, error) {
	b.Kept = append(b.Kept, data[:min(len(data), b.Most-len(b.Kept))]...)
	return len(data), nil
}
