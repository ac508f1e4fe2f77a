package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// relay is a proxy between the scheduler and the API server. The relay can end all watches, and then reports the
// resource versions of these watches as too old, as an API server with a compacted history does.
type relay struct {
	proxy *httputil.ReverseProxy
	lists atomic.Int64 // number of lists of pods that have begun

	lock    sync.Mutex
	watches map[int]openWatch
	next    int
	tooOld  map[string]int // the number of watches, by path, that will still get this answer
}

type openWatch struct {
	path string
	end  context.CancelFunc
}

// startRelay serves on a free port until the context ends, and writes a kubeconfig for this port.
func startRelay(ctx context.Context, kubeconfig, written string) (*relay, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.DisableCompression = true // compression is up to the scheduler and the API server
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	r := &relay{watches: map[int]openWatch{}, tooOld: map[string]int{}}
	r.proxy = &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(&url.URL{Scheme: server.Scheme, Host: server.Host})
			request.Out.Header.Del("Authorization") // the relay has its own credentials
		},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	service := &http.Server{Handler: r}
	go func() { _ = service.Serve(listener) }() // ends with the context only
	context.AfterFunc(ctx, func() { _ = service.Close() })
	return r, writeKubeconfig(written, "http://"+listener.Addr().String())
}

func writeKubeconfig(path, address string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["relay"] = &clientcmdapi.Cluster{Server: address}
	config.AuthInfos["relay"] = &clientcmdapi.AuthInfo{}
	config.Contexts["relay"] = &clientcmdapi.Context{Cluster: "relay", AuthInfo: "relay"}
	config.CurrentContext = "relay"
	text, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func (r *relay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	watch := query.Get("watch") == "true" || query.Get("watch") == "1"
	lists := !watch || query.Get("sendInitialEvents") == "true"
	if lists && request.URL.Path == "/api/v1/pods" && request.Method == http.MethodGet {
		r.lists.Add(1)
	}
	if !watch {
		r.proxy.ServeHTTP(w, request)
		return
	}
	if !lists && r.isTooOld(request.URL.Path) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusGone)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}`)
		return
	}
	ctx, end := context.WithCancel(request.Context())
	number := r.opened(openWatch{request.URL.Path, end})
	defer r.closed(number)
	defer end()
	// When a stream is cut, the proxy panics with http.ErrAbortHandler, which ends the connection as intended.
	r.proxy.ServeHTTP(w, request.WithContext(ctx))
}

// cut ends all watches. Afterwards, the relay reports the resource versions of these watches as too old.
func (r *relay) cut() {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, watch := range r.watches {
		r.tooOld[watch.path]++
		watch.end()
	}
}

func (r *relay) isTooOld(path string) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.tooOld[path] == 0 {
		return false
	}
	r.tooOld[path]--
	return true
}

func (r *relay) opened(watch openWatch) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.next++
	r.watches[r.next] = watch
	return r.next
}

func (r *relay) closed(number int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.watches, number)
}
