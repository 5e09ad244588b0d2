package screen

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agent/internal/attach"
	"agent/internal/chat"
	"agent/internal/streamjson"
)

// A request that the session refuses returns its error, so that Esc at an approval prompt does not wait
// for a queue that another program holds.
func TestARefusedRequestReturns(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "s") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	listener, err := net.Listen("unix", filepath.Join(folder, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			var in streamjson.ClientInput
			_ = json.Unmarshal(lines.Bytes(), &in)
			fmt.Fprintf(conn, `{"type":"error","error":"not here","id":%d}`+"\n", in.ID)
		}
	}()
	conn, err := attach.Dial(filepath.Join(folder, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := &remote{conn: conn, pending: map[int]chan []byte{}}
	go r.lines(func(e chat.Event) { t.Errorf("%+v", e) })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := ask[streamjson.UnqueuedMessage](ctx, r, streamjson.ClientInput{Input: streamjson.Input{Type: "unqueue"}}); err == nil || err.Error() != "not here" {
		t.Errorf("the request returned %v", err)
	}
}
