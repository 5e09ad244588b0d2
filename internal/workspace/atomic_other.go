//go:build !linux

package workspace

import (
	"errors"
	"os"
)

// Files have names from the start here.
func openUnnamed(*os.File, uint32) (fd int, err error) { return -1, errors.ErrUnsupported }

func linkUnnamed(*os.File, *os.File, string) error { return errors.ErrUnsupported }

// exchangeNames is not known here; files are replaced after a last look at them.
func exchangeNames(*os.File, string, string) error { return errors.ErrUnsupported }

// takeAttributes is not known here; attributes go with the old file.
func takeAttributes(*os.File, *os.File) error { return nil }

// hold has nothing to hold writers with here.
type hold struct{}

func holdWriters(*os.File) (hold, error) { return hold{}, nil }

func (hold) intact() bool { return true }
