// Numbers and a label as one joint report with all of ε, by what a description says: twin of Method.together in
// rlm_core/privatiser/method.py. (Codes and labels are pairs, which release.js knows without a description.)

import { JointLaplace, JointSelection } from "./joint.js";
import { JointBits } from "./joint_bits.js";

/**
 * `digests`: of the report; one, or for bits one for each number of bits from 1 on, since ε decides how many.
 * @typedef {object} Joint
 * @property {"bits" | "laplace" | "selection"} kind
 * @property {number[]} [low] ranges of the coordinates (bits, selection)
 * @property {number[]} [high]
 * @property {number} [radius] (laplace)
 * @property {number[]} [centre]
 * @property {number} [constant]
 * @property {string[]} digests
 */

/**
 * How h and this label leave; raises on a label that is none.
 * @param {import("./mechanism.js").Description} description
 * @param {number} label
 * @param {number} epsilon
 * @returns {{digest: string, send: (source: import("./randomness.js").Source, h: Float64Array) => import("./report.js").Payload}}
 */
export function together({ joint, classes }, label, epsilon) {
  if (!joint) throw new Error("Expected a mechanism with joint reports.");
  if (!(Number.isInteger(label) && label >= 0 && label < classes.length)) {
    throw new RangeError(`Expected an integer 0 <= label <= ${classes.length - 1}, got label=${label}.`);
  }
  const { kind, low = [], high = [], radius = 1, centre = [], constant = 1, digests } = joint;
  if (kind === "bits") {
    const bits = new JointBits({ epsilon, low, high });
    return { digest: digests[bits.bits - 1], send: (source, h) => bits.privatiseWith(source, h, label) };
  }
  if (kind === "laplace") {
    const laplace = new JointLaplace({ epsilon, radius, centre, constant });
    return { digest: digests[0], send: (source, h) => ({ numbers: laplace.privatiseWith(source, h, label) }) };
  }
  const selection = new JointSelection({ epsilon, classes: classes.length, low, high });
  return { digest: digests[0], send: (source, h) => selection.privatiseWith(source, h, label) };
}
