// Search without a server. A page that was opened as a file may not start a worker, so its search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html><body></body>";
      this.frame.onload = () => this.load(new URL(url, location.href).href);
      document.body.append(this.frame);
    }
    load(url) {
      const inside = this.frame.contentWindow;
      inside.importScripts = () => {};
      inside.postMessage = data => setTimeout(() => this.onmessage && this.onmessage({ data }));
      const script = inside.document.createElement("script");
      script.src = url;
      script.onerror = event => this.onerror && this.onerror(event);
      script.onload = () => {
        this.inside = inside;
        this.waiting.splice(0).forEach(data => this.postMessage(data));
      };
      inside.document.body.append(script);
    }
    postMessage(data) {
      if (!this.inside) { this.waiting.push(data); return; }
      this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }
    addEventListener(kind, call) { this[`on${kind}`] = call; }
    terminate() { this.frame.remove(); }
  };
}
