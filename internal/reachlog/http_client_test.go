package reachlog_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/reachlog"
)

// A reply that switches protocols is an error, and its connection is closed at once.
func TestClientRefusesAnotherProtocol(t *testing.T) {
	t.Parallel()
	closed := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		_, err = conn.Read(make([]byte, 1))
		closed <- err
	}))
	defer server.Close()
	client := reachlog.NewClient(nil, nil)
	response, err := client.Get(server.URL)
	if err == nil {
		response.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "switched to another protocol") {
		t.Errorf("the answer is %v", err)
	}
	if err := <-closed; err != io.EOF {
		t.Errorf("the connection is not closed: %v", err)
	}
}
