package provider

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/keyring"
	"agent/internal/llm"
)

// keyringService is the service name of our entries in the system's keyring. The user name of an entry
// is the place.
const keyringService keyring.Service = "agent"

// inKeyring is the name of the keyring for a user.
const inKeyring = "the system's keyring"

// Keys stores the API keys of agent login, each for a KeyHost. It uses the keyring of the system. If
// there is none, it stores each key in a file that only its owner can read.
type Keys struct {
	// Folder is the folder of the files.
	Folder string
	// Keyring reports whether the system has a keyring.
	Keyring bool
	// Allowed returns an error if no API key may be stored for a place, or used there. If nil, all
	// places are allowed.
	Allowed func(place string) error
}

// CheckKeyHost returns an error if no API key may be stored for a place.
func (k Keys) CheckKeyHost(place string) error {
	if k.Allowed == nil {
		return nil
	}
	return k.Allowed(place)
}

// SystemKeys returns the Keys of a user whose configuration is in folder.
func SystemKeys(folder string, env func(name string) string) Keys {
	return Keys{Folder: filepath.Join(folder, "keys"), Keyring: HasKeyring(env)}
}

// HasKeyring reports whether the system may have a keyring. Without a session bus the library would
// try to start one.
func HasKeyring(env func(name string) string) bool {
	return runtime.GOOS != "linux" || env("DBUS_SESSION_BUS_ADDRESS") != ""
}

// Get returns the API key of a place and where it is stored, or "" for both.
func (k Keys) Get(place string) (key llm.Key, where string) {
	if k.CheckKeyHost(place) != nil {
		return "", ""
	}
	if k.Keyring {
		if key, err := keyringService.Get(place); err == nil && checkKey(key) == nil {
			return llm.Key(key), inKeyring
		}
	}
	file := k.file(place)
	if key, err := ReadKeyFile(file); err == nil {
		return key, file
	}
	return "", ""
}

// Set stores the API key of a place, replacing an older one, and returns where it is stored.
func (k Keys) Set(place string, key llm.Key) (where string, err error) {
	if err := cmp.Or(k.CheckKeyHost(place), checkKey(string(key))); err != nil {
		return "", err
	}
	if k.Keyring && keyringService.Set(place, string(key)) == nil {
		return inKeyring, k.removeFile(place)
	}
	if err := os.MkdirAll(k.Folder, 0o700); err != nil {
		return "", fmt.Errorf("can't store the API key: %w", err)
	}
	file := k.file(place)
	if err := fsutil.WithLock(k.Folder, func() error {
		return fsutil.Target{Path: file, Mode: 0o600, Locked: true}.Replace([]byte(string(key) + "\n"))
	}); err != nil {
		return "", fmt.Errorf("can't write the API key to %s: %w", file, fsutil.Reason(err))
	}
	return file, nil
}

// Delete removes the API key of a place and reports whether there was one.
func (k Keys) Delete(place string) (bool, error) {
	_, where := k.Get(place)
	if k.Keyring {
		if err := keyringService.Delete(place); err != nil && !errors.Is(err, keyring.ErrNotFound) && where == inKeyring {
			return false, fmt.Errorf("can't remove the API key from the keyring: %w", err)
		}
	}
	return where != "", k.removeFile(place)
}

// file returns the path of the file for a place. For http://HOST the file name is http@HOST. On
// Windows, other colons are replaced too, because file names cannot contain them.
func (k Keys) file(place string) string {
	name := filepath.Base(strings.Replace(place, "://", "@", 1))
	if runtime.GOOS == "windows" {
		name = strings.ReplaceAll(name, ":", "@")
	}
	return filepath.Join(k.Folder, name)
}

func (k Keys) removeFile(place string) error {
	if _, err := os.Lstat(k.Folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := fsutil.WithLock(k.Folder, fsutil.Target{Path: k.file(place)}.Remove); err != nil {
		return fmt.Errorf("can't remove the API key in %s: %w", k.file(place), fsutil.Reason(err))
	}
	return nil
}

// maxKey limits the length of an API key, in bytes. A longer file is not a key.
const maxKey = 16 << 10

// ReadKeyFile reads an API key from a file of one line. It refuses a file that other users may read.
func ReadKeyFile(path string) (llm.Key, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	const othersMay = 0o077
	switch {
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&othersMay != 0:
		return "", fmt.Errorf("other users can read %s (mode %04o). Run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKey+1))
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(data))
	if err := checkKey(key); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return llm.Key(key), nil
}

// checkKey returns an error for a text that cannot be an API key. The error does not contain the text.
func checkKey(key string) error {
	switch {
	case key == "":
		return errors.New("the API key is empty")
	case len(key) > maxKey:
		return fmt.Errorf("the API key is too long; it can have at most %d bytes", maxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("an API key can't contain spaces, line breaks or special characters")
	}
	return nil
}
