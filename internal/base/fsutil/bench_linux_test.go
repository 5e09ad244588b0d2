package fsutil

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkTree opens 5,000 files in 50 folders, with openat2 and with os.Root.
func BenchmarkTree(b *testing.B) {
	root := b.TempDir()
	var files []string
	for i := range 50 {
		folder := fmt.Sprintf("internal/base/package%02d", i)
		if err := os.MkdirAll(filepath.Join(root, folder), 0o700); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			files = append(files, fmt.Sprintf("%s/file%02d.go", folder, j))
			if err := os.WriteFile(filepath.Join(root, files[len(files)-1]), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	direct, plain := benchTree(b, root), benchTree(b, root)
	withoutOpenat2(plain)
	for name, tree := range map[string]*Tree{"direct": direct, "plain": plain} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, path := range files {
					f, err := tree.Open(path)
					if err != nil {
						b.Fatal(err)
					}
					f.Close()
				}
			}
		})
	}
}

func benchTree(b *testing.B, root string) *Tree {
	tree, err := OpenTree(root)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = tree.Close() })
	return tree
}
