package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
)

// Store keeps the data of servers, in one file for each server.
type Store struct {
	// Dir is the folder of the files. If it is empty, nothing is stored.
	Dir string
}

// maxStored is the greatest size of a file, in bytes.
const maxStored = 16 << 20

// path returns the path of a server's file. It depends on the server's name and on its
// configuration, because a changed configuration may mean another server.
func (s Store) path(name string, entry []byte) string {
	sum := sha256.Sum256(append([]byte(name+"\x00"), entry...))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:16])+".json")
}

// Load returns the stored data of a server. It returns false if there is none.
func (s Store) Load(name string, entry []byte) (ServerInfo, bool) {
	if s.Dir == "" {
		return ServerInfo{}, false
	}
	data, err := fsutil.ReadBeginning(s.path(name, entry), maxStored)
	var k ServerInfo
	if err != nil || json.Unmarshal(data, &k) != nil {
		return ServerInfo{}, false
	}
	return k, true
}

// Save stores the data of a server.
func (s Store) Save(name string, entry []byte, k ServerInfo) error {
	if s.Dir == "" {
		return nil
	}
	data, err := rawjson.Marshal(k)
	if err == nil {
		err = os.MkdirAll(s.Dir, 0o700)
	}
	if err != nil {
		return err
	}
	return fsutil.Replace(s.path(name, entry), data, 0o600)
}
