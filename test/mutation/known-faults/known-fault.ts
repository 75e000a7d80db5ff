/** A fault that the service must not have, as one edit of a file, and the test file that notices it. */
export interface KnownFault {
  /** One statement: what goes wrong, and for whom. */
  readonly title: string
  /** Path of the edited file, from the root of the repository. */
  readonly file: string
  /** Text that the file has exactly once. */
  readonly find: string
  readonly replaceBy: string
  /** Path of the test file that fails with the fault. Name the quickest one. */
  readonly test: string
}
