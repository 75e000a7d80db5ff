/**
 * Prints the scores of mutation tests as one table. With reports of `npm run mutate`, prints the table of all of them:
 *
 *     node test/mutation/scores.ts .build/mutation/operations.json .build/mutation/client.json
 */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The part of a report of Stryker that is read here (its mutation testing report schema). */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>
}

/** Statuses of mutants that count: all but those that do not compile or are ignored. */
const killedStatuses = ['Killed', 'Timeout']
const undetectedStatuses = ['Survived', 'NoCoverage']

/** Formats a table of the scores of each folder, in Markdown. */
const formatScores = (reports: readonly Report[]): string => {
  const statusesByFolder = new Map<string, string[]>()
  for (const { files } of reports) {
    for (const [path, { mutants }] of Object.entries(files)) {
      const folder = dirname(path)
      const statuses = statusesByFolder.get(folder) ?? []
      statuses.push(...mutants.map(({ status }) => status))
      statusesByFolder.set(folder, statuses)
    }
  }

  const rows = [...statusesByFolder].map(([folder, statuses]) => {
    const killed = statuses.filter((status) => killedStatuses.includes(status)).length
    const counted = killed + statuses.filter((status) => undetectedStatuses.includes(status)).length
    return `| \`${folder}\` | ${killed} of ${counted} | ${((100 * killed) / counted).toFixed(1)} % |`
  })
  return ['| part | killed | score |', '|---|---|---|', ...rows.toSorted()].join('\n')
}

const readReport = (file: string): Report => JSON.parse(readFileSync(file, 'utf8'))

console.log(formatScores(process.argv.slice(2).map(readReport)))
