// A picture from the camera: the central square of what it sees, taken in this browser. Nothing is recorded, and the
// camera is let go as soon as the picture is taken or another source is opened.

import { element } from "./elements.js";

const SIDE = 480;

/** Whether this browser gives a page the camera: on https and localhost only. */
export const hasCamera = () => Boolean(globalThis.isSecureContext && navigator.mediaDevices?.getUserMedia);

/**
 * @param {(file: Blob) => void} onTaken
 * @param {(words: string) => void} say
 */
export function cameraPanel(onTaken, say) {
  /** @type {MediaStream | null} */
  let stream = null;
  const video = element("video", { class: "camera", muted: true, playsInline: true, autoplay: true, "aria-label": "What the camera sees" });
  const take = element("button", { type: "button", disabled: true }, "Take the picture");
  const stop = () => {
    for (const track of stream?.getTracks() ?? []) track.stop();
    stream = video.srcObject = null;
    take.disabled = true;
  };
  const start = async () => {
    stop();
    say("Asking for the camera …");
    try {
      const granted = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: SIDE } } });
      stream = video.srcObject = granted;
      await video.play();
      take.disabled = false;
      say("What the camera sees stays in this browser.");
    } catch {
      say("This browser gives no camera: it is missing, in use, or not allowed for this page. Upload a picture instead.");
    }
  };
  take.onclick = () => {
    const [width, height] = [video.videoWidth, video.videoHeight];
    const square = Math.min(width, height);
    const canvas = element("canvas", { width: SIDE, height: SIDE });
    canvas.getContext("2d").drawImage(video, (width - square) / 2, (height - square) / 2, square, square, 0, 0, SIDE, SIDE);
    stop();
    canvas.toBlob((/** @type {Blob | null} */ file) => { if (file) onTaken(file); });
  };
  const box = element("div", { class: "panel pad-row" }, video,
    element("div", { class: "small" }, take, element("button", { type: "button", onclick: start }, "Start again")));
  return { box, start, stop };
}
