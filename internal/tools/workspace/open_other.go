//go:build !linux

package workspace

import (
	"errors"
	"os"
)

// os.Root opens files here.
func openBeneath(string, string) (*os.File, error) { return nil, errors.ErrUnsupported }
