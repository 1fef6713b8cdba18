// The search of the theme runs in a worker, and from disk a browser starts none: the same in a frame.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => setTimeout(() => this.onmessage?.({ data: structuredClone(data) }));
      this.begun = new Promise((resolve) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, location.href).href;
        script.onload = () => resolve(inside);
        inside.document.body.append(script);
      });
    }

    postMessage(data) {
      const copy = structuredClone(data);
      this.begun.then((inside) => inside.onmessage?.({ data: copy }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
