package tools

import (
	"errors"
	"io/fs"
	"os"
)

// cause drops the operation and the path that errors of package os repeat, so
// that a message names the file once.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}
