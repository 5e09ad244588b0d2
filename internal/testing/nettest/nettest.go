// Package nettest simulates internet hosts for programs under test. A program connects through a
// proxy, to the real host names, with certificates of an authority that the test creates. The
// program therefore runs unchanged.
//
// [Net.Environ] returns the environment for the program.
package nettest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Request is a request that a host received.
type Request struct {
	Method, Host, Path string
	Header             http.Header
	Body               string
}

// A Net is a simulated internet. A function answers for all hosts.
type Net struct {
	// Address is the address of the proxy.
	Address string

	authority *x509.Certificate
	key       *ecdsa.PrivateKey
	file      string
	answer    func(Request) string

	mu    sync.Mutex
	asked []Request
}

// New starts a Net. answer returns the answer of a host: a status, then headers, each as "[Name:
// value] ", then the body. For the answer "hang" nothing is sent, and "lost" breaks the connection.
func New(t testing.TB, answer func(Request) string) *Net {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	n := &Net{key: key, answer: answer, file: filepath.Join(t.TempDir(), "authority.pem")}
	n.authority = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, n.authority, n.authority, &key.PublicKey, key)
	if err == nil {
		err = os.WriteFile(n.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n.Address = listener.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(n.connect), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return n
}

// Environ returns the environment variables with which a program connects to the hosts.
func (n *Net) Environ() []string {
	return []string{"HTTPS_PROXY=http://" + n.Address, "HTTP_PROXY=http://" + n.Address, "NO_PROXY=127.0.0.1,localhost", "SSL_CERT_FILE=" + n.file, "SSL_CERT_DIR="}
}

// Asked returns the requests so far.
func (n *Net) Asked() []Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Request{}, n.asked...)
}

// connect answers for a host on a connection through the proxy.
func (n *Net) connect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		n.serve(w, r, r.Host)
		return
	}
	host, _, err := net.SplitHostPort(r.Host)
	hijacker, is := w.(http.Hijacker)
	if err != nil || !is {
		http.Error(w, "no host", http.StatusBadRequest)
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	certificate, err := n.certificate(host)
	if err != nil {
		return
	}
	fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n\r\n")
	secure := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}})
	reader := bufio.NewReader(secure)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		answer := &recorded{header: http.Header{}, status: http.StatusOK}
		n.serve(answer, request, host)
		if answer.status == 0 {
			return
		}
		response := http.Response{
			StatusCode: answer.status, ProtoMajor: 1, ProtoMinor: 1, Header: answer.header, Request: request,
			Body: io.NopCloser(strings.NewReader(answer.body.String())), ContentLength: int64(answer.body.Len()),
		}
		if response.Write(secure) != nil {
			return
		}
	}
}

func (n *Net) certificate(host string) (tls.Certificate, error) {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, n.authority, &n.key.PublicKey, n.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: n.key}, err
}

func (n *Net) serve(w http.ResponseWriter, r *http.Request, host string) {
	body, err := io.ReadAll(r.Body)
	if err != nil && !errors.Is(err, io.EOF) {
		return
	}
	request := Request{r.Method, host, r.URL.Path, r.Header, string(body)}
	n.mu.Lock()
	n.asked = append(n.asked, request)
	n.mu.Unlock()
	answer := n.answer(request)
	switch answer {
	case "hang":
		<-r.Context().Done()
		return
	case "lost":
		w.WriteHeader(0)
		return
	}
	word, rest, _ := strings.Cut(answer, " ")
	status := http.StatusNotFound
	_, _ = fmt.Sscan(word, &status)
	for strings.HasPrefix(rest, "[") {
		line, after, _ := strings.Cut(rest[1:], "] ")
		name, value, _ := strings.Cut(line, ": ")
		w.Header().Set(name, value)
		rest = after
	}
	if strings.HasPrefix(rest, "data:") {
		w.Header().Set("Content-Type", "text/event-stream")
	} else if strings.HasPrefix(rest, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, rest)
}

// recorded is an answer that is not sent yet.
type recorded struct {
	header http.Header
	status int
	body   strings.Builder
}

func (r *recorded) Header() http.Header               { return r.header }
func (r *recorded) WriteHeader(status int)            { r.status = status }
func (r *recorded) Write(p []byte) (n int, err error) { return r.body.Write(p) }
