package rawjson

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"agent/internal/disk"
)

// ReadShared reads the members of a T from the JSON object in a file of which others keep
// members too. A file that is not there has none, nor does one that cannot be read.
func ReadShared[T any](path string) (members T, err error) {
	_, members, err = readShared[T](path)
	return members, err
}

func readShared[T any](path string) (data []byte, members T, err error) {
	data, err = disk.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, members, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &members)
	}
	if err != nil {
		var none T
		return nil, none, err
	}
	return data, members, nil
}

// ChangeShared changes the members of a T in such a file, which only the user can read.
// What others keep in it stays, and what another program changes at the same time.
func ChangeShared[T any](path string, change func(*T)) error {
	return disk.Locked(filepath.Dir(path), func() error {
		data, members, err := readShared[T](path)
		if err != nil {
			return err
		}
		change(&members)
		if data, err = Merge(data, members); err != nil {
			return err
		}
		return disk.Replace(path, data, 0o600)
	})
}
