// The Go client fargo against a Eureka server: every call that a service or a gateway makes with it.
//
//	fargo URL xml|json
//
// Prints a line for each step and exits 1 at the first that fails.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/hudl/fargo"
	logging "github.com/op/go-logging"
)

var began = time.Now()

func ensure(step string, ok bool, why any) {
	if !ok {
		fmt.Printf("%s: %v\n", step, why)
		os.Exit(1)
	}
	fmt.Printf("%5d ms  %s\n", time.Since(began).Milliseconds(), step)
}

func works(step string, err error) {
	ensure(step, err == nil, err)
}

func main() {
	url, form := os.Args[1], os.Args[2]
	logging.SetLevel(logging.CRITICAL, "")
	eureka := fargo.NewConn(url)
	eureka.Timeout = 5 * time.Second
	eureka.PollInterval = 500 * time.Millisecond
	eureka.UseJson = form == "json"

	app := fmt.Sprintf("FARGO-%s-%d", map[bool]string{true: "JSON", false: "XML"}[eureka.UseJson], os.Getpid())
	self := &fargo.Instance{
		HostName: "127.0.0.1", IPAddr: "127.0.0.1", Port: 6000, PortEnabled: true, App: app,
		VipAddress: app + ".vip", SecureVipAddress: app + ".svip", Status: fargo.UP,
		DataCenterInfo: fargo.DataCenterInfo{Name: fargo.MyOwn},
		LeaseInfo:      fargo.LeaseInfo{RenewalIntervalInSecs: 1, DurationInSecs: 60},
	}
	if eureka.UseJson {
		self.DataCenterInfo.Class = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo"
	}
	self.SetMetadataString("zone", "a")

	// It reads the instance back at once, with no time for a cache to catch up.
	works("register and read back", eureka.RegisterInstance(self))
	works("register again", eureka.ReregisterInstance(self))
	works("heartbeat", eureka.HeartBeatInstance(self))

	got, err := eureka.GetInstance(app, self.Id())
	works("get the instance", err)
	ensure("it is as registered", got.Port == 6000 && got.PortEnabled && got.Status == fargo.UP &&
		got.IPAddr == self.IPAddr && got.VipAddress == self.VipAddress, fmt.Sprintf("%+v", got))
	one, err := eureka.GetApp(app)
	works("get the app", err)
	ensure("the app has it", len(one.Instances) == 1, one.Instances)
	all, err := eureka.GetApps()
	works("get all apps", err)
	ensure("the app is among them", all[app] != nil, len(all))
	for _, secure := range []bool{false, true} {
		vip := map[bool]string{false: self.VipAddress, true: self.SecureVipAddress}[secure]
		found, err := eureka.GetInstancesByVIPAddress(vip, secure)
		works("get "+vip, err)
		ensure("it has the instance", len(found) == 1, found)
	}

	works("set metadata", eureka.AddMetadataString(self, "k", "v w"))
	got, err = eureka.GetInstance(app, self.Id())
	works("get the instance", err)
	value, err := got.Metadata.GetString("k")
	ensure("the metadata is there", err == nil && value == "v w", value)

	works("set the status", eureka.UpdateInstanceStatus(self, fargo.OUTOFSERVICE))
	got, err = eureka.GetInstance(app, self.Id())
	works("get the instance", err)
	// One single instance in XML says DOWN where its status is OUT_OF_SERVICE; lists and JSON do not.
	shown := got.Status == fargo.OUTOFSERVICE || got.Status == fargo.DOWN && !eureka.UseJson
	ensure("the override is there", got.Overriddenstatus == fargo.OUTOFSERVICE && shown,
		fmt.Sprint(got.Status, "/", got.Overriddenstatus))

	stop := make(chan struct{})
	update := <-eureka.ScheduleAppUpdates(app, true, stop)
	close(stop)
	works("updates of the app", update.Err)

	works("deregister", eureka.DeregisterInstance(self))
	code, _ := fargo.HTTPResponseStatusCode(eureka.HeartBeatInstance(self))
	ensure("a heartbeat is then answered 404", code == 404, code)
}
