package fault_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/fault"
)

// A server that is not ours may want passwords and encryption; the proxy is in
// between all the same.
func TestCrashThroughTLS(t *testing.T) {
	server, err := devdb.Start(t.Context(), devdb.Options{TCP: true, BinDir: os.Getenv(pgtest.BinEnv)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(context.Background())
	database(t, server.URL("postgres"))
	plain := server.TCPURL("postgres")
	o := fault.CrashOptions{Kinds: []fault.Kind{fault.LoseReply}}

	// Without TLS, but asked for it politely.
	r := crash(t, strings.Replace(plain, "sslmode=disable", "sslmode=prefer", 1), blind, o)
	if r.Faults != 3 || r.Violating != 1 {
		t.Errorf("plain: %+v", r)
	}
	required := strings.Replace(plain, "sslmode=disable", "sslmode=require", 1)
	if _, err := fault.Crash(t.Context(), nil, required, blind, o); err == nil {
		t.Error("a server without TLS was good enough for sslmode=require")
	}

	encrypt(t, server, required)
	r = crash(t, required, blind, o)
	if r.Faults != 3 || r.Violating != 1 {
		t.Errorf("TLS: %+v", r)
	}
}

// encrypt switches a server's TLS on and returns when it works.
func encrypt(t *testing.T, server *devdb.Server, url string) {
	t.Helper()
	certificate, key := certify(t)
	conn := connect(t, server.URL("postgres"))
	for name, text := range map[string][]byte{"ssl_cert_file": certificate, "ssl_key_file": key} {
		path := filepath.Join(server.Dir(), name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		// For root, the server runs under another account.
		info, err := os.Stat(server.LogFile())
		if err != nil {
			t.Fatal(err)
		}
		owner := info.Sys().(*syscall.Stat_t)
		if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "ALTER SYSTEM SET "+name+" = '"+path+"'"); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{"ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	for range 100 {
		var conn *pgx.Conn
		if conn, err = pgx.Connect(t.Context(), url); err == nil {
			_ = conn.Close(t.Context())
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("no TLS: %v", err)
}

// certify makes a certificate and its key, in PEM.
func certify(t *testing.T) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes})
}
