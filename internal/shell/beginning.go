package shell

// A HeadWriter is a writer for Feed that keeps only the beginning of what is written, at most Most
// bytes, and drops the rest.
type HeadWriter struct {
	Kept []byte
	Most int
}

// Write implements io.Writer.
func (b *HeadWriter) Write(data []byte) (int, error) {
	b.Kept = append(b.Kept, data[:min(len(data), b.Most-len(b.Kept))]...)
	return len(data), nil
}
