// A session of Go's gomemcache: all that it offers. Arguments: host, port.
// Prints a line a check, as TAP has it.
package main

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
)

var (
	guard  sync.Mutex
	checks int
)

func check(name string, isGood bool) {
	guard.Lock()
	defer guard.Unlock()
	checks++
	if isGood {
		fmt.Printf("ok %d %s\n", checks, name)
	} else {
		fmt.Printf("not ok %d %s\n", checks, name)
	}
}

func isValue(c *memcache.Client, key string, wanted []byte) bool {
	item, err := c.Get(key)
	return err == nil && item.Key == key && bytes.Equal(item.Value, wanted)
}

func storeAndFetch(c *memcache.Client) {
	_, err := c.Get("none")
	check("get of nothing", err == memcache.ErrCacheMiss)
	values := map[string][]byte{
		"text": []byte("hello"), "empty": {},
		"bytes": []byte("\x00\r\nEND\r\n\xff"),
		"long":  bytes.Repeat([]byte("x"), 900000),
	}
	for key, value := range values {
		err = c.Set(&memcache.Item{Key: key, Value: value})
		check("set "+key, err == nil)
		check("get "+key, isValue(c, key, value))
	}
	err = c.Set(&memcache.Item{Key: "flags", Flags: 4294967295,
		Value: []byte("x"), Expiration: 100})
	check("set with flags", err == nil)
	item, err := c.Get("flags")
	check("get with flags", err == nil && item.Flags == 4294967295)
	one := &memcache.Item{Key: "new", Value: []byte("1")}
	check("add", c.Add(one) == nil)
	check("add again", c.Add(one) == memcache.ErrNotStored)
	check("delete", c.Delete("new") == nil)
	check("delete again", c.Delete("new") == memcache.ErrCacheMiss)
	past := &memcache.Item{Key: "old", Value: []byte("x"), Expiration: -1}
	check("set for the past", c.Set(past) == nil)
	_, err = c.Get("old")
	check("of the past", err == memcache.ErrCacheMiss)
	err = c.Set(&memcache.Item{Key: "a b", Value: []byte("x")})
	check("malformed key", err == memcache.ErrMalformedKey)
	large := bytes.Repeat([]byte("x"), 3<<20)
	check("too large", c.Set(&memcache.Item{Key: "large", Value: large}) !=
		nil)
	check("after that", isValue(c, "text", []byte("hello")))
}

func countAndSwap(c *memcache.Client) {
	c.Set(&memcache.Item{Key: "n", Value: []byte("10")})
	n, err := c.Increment("n", 5)
	check("increment", err == nil && n == 15)
	n, err = c.Decrement("n", 100)
	check("decrement", err == nil && n == 0)
	_, err = c.Increment("none", 1)
	check("increment nothing", err == memcache.ErrCacheMiss)
	_, err = c.Increment("text", 1)
	check("increment text", err != nil)
	check("touch", c.Touch("text", 100) == nil)
	check("touch nothing", c.Touch("none", 100) == memcache.ErrCacheMiss)

	first, _ := c.Get("text")
	second, _ := c.Get("text")
	first.Value = []byte("first")
	second.Value = []byte("second")
	check("cas", c.CompareAndSwap(first) == nil)
	check("cas late", c.CompareAndSwap(second) ==
		memcache.ErrCASConflict)
	check("cas kept", isValue(c, "text", []byte("first")))
	c.Delete("text")
	err = c.CompareAndSwap(second)
	check("cas of nothing", err == memcache.ErrCacheMiss ||
		err == memcache.ErrNotStored)
}

func many(c *memcache.Client) {
	var keys []string
	for i := 0; i < 500; i++ {
		key := fmt.Sprintf("many%d", i)
		keys = append(keys, key)
		c.Set(&memcache.Item{Key: key, Value: []byte(key)})
	}
	items, err := c.GetMulti(append(keys, "absent"))
	isGood := err == nil && len(items) == len(keys)
	for key, item := range items {
		isGood = isGood && string(item.Value) == key
	}
	check("get of many", isGood)
}

// Eight goroutines, as an application's, over the client's own connections.
func together(c *memcache.Client) {
	var group sync.WaitGroup

	for g := 0; g < 8; g++ {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			isGood := true
			for i := 0; i < 100; i++ {
				key := fmt.Sprintf("g%d.%d", g, i)
				err := c.Set(&memcache.Item{Key: key,
					Value: []byte(key)})
				isGood = isGood && err == nil &&
					isValue(c, key, []byte(key))
			}
			check(fmt.Sprintf("goroutine %d", g), isGood)
		}(g)
	}
	group.Wait()
}

func main() {
	c := memcache.New(os.Args[1] + ":" + os.Args[2])
	c.Timeout = 20 * time.Second
	storeAndFetch(c)
	countAndSwap(c)
	many(c)
	together(c)
	fmt.Printf("1..%d\n", checks)
}
