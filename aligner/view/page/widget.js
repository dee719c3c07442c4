// Widget: the frame of the page in a notebook. The page's messages become the state of the Python object.

export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.srcdoc = model.get("page");
    frame.title = "Word alignments";
    frame.sandbox = "allow-scripts allow-downloads allow-modals";
    Object.assign(frame.style, { width: "100%", height: `${model.get("height")}px`, border: "0" });

    function receive({ source, data }) {
      if (source !== frame.contentWindow) return;
      if (data.isReady) {
        source.postMessage(model.get("edits"), "*");
        return;
      }
      const { [data.line]: _, ...others } = model.get("edits");
      model.set("edits", data.text === "" ? others : { ...others, [data.line]: data.text });
      model.save_changes();
    }

    window.addEventListener("message", receive);
    el.append(frame);
    return () => window.removeEventListener("message", receive);
  },
};
