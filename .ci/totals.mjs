// Prints what the reports of vitest that it is given count, together and in one plain line, for programs that read the log.
import { readFileSync } from 'node:fs'

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')))
const total = (...counts) => {
  const sum = reports.flatMap((report) => counts.map((count) => report[count])).reduce((one, other) => one + other, 0)
  if (!Number.isInteger(sum)) throw new Error(`A report has no ${counts.join(' or no ')}.`)
  return sum
}
const [passed, failed] = [total('numPassedTests'), total('numFailedTests')]
const skipped = total('numPendingTests', 'numTodoTests')
if (passed === 0) throw new Error('No test has run.')
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
