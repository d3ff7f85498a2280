// Twin of tape.py: the next bytes of a tape that starts with `head` (hexadecimal).

/** @param {(message: Uint8Array) => Uint8Array} sha256 */
export const tapes = (sha256) => (label, head = "") => {
  let rest = Uint8Array.from(head.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  let block = 0n;
  const name = new TextEncoder().encode(label);
  return (count) => {
    const parts = [rest];
    for (let have = rest.length; have < count; have += 32) {
      const message = new Uint8Array(name.length + 8);
      message.set(name);
      new DataView(message.buffer).setBigUint64(name.length, block++);
      parts.push(sha256(message));
    }
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => (joined.set(part, at), at + part.length), 0);
    rest = joined.slice(count);
    return joined.slice(0, count);
  };
};
