import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UserError } from '../command-line/user-error.ts'

const projectFolder = fileURLToPath(new URL('../../', import.meta.url))

/** All that the templates and bundles are made of. */
export const sourceFolders = ['functions', 'infra', 'shared'].map((name) => join(projectFolder, name))
const sourceFiles = ['cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json']

const inputsFile = 'inputs.sha256'

/**
 * Synthesizes the stage that runs here, as `cdk synth` does, unless nothing has changed since it last wrote this
 * folder: the CDK needs some seconds, reading the sources some milliseconds.
 *
 * @param signal ends it early
 * @throws UserError with what the app printed, when it fails.
 */
export const synthesize = async (folder: string, signal?: AbortSignal): Promise<void> => {
  const inputs = hashSources()
  const inputsPath = join(folder, inputsFile)
  if (existsSync(inputsPath) && readFileSync(inputsPath, 'utf8') === inputs) return
  rmSync(inputsPath, { force: true })
  await runApp(folder, signal)
  writeFileSync(inputsPath, inputs)
}

/**
 * In a process of its own, like `cdk synth`: the CDK keeps the process busy for seconds, and the
 * sources of a long-running process would be loaded only once.
 */
const runApp = (folder: string, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    // The CDK's checks of templates take longer than all the rest. They are for what is deployed.
    const env = { ...process.env, CDK_OUTDIR: folder, CDK_VALIDATION: 'false' }
    execFile(
      process.execPath,
      ['infra/synthesis/local-app.ts'],
      { cwd: projectFolder, env, signal },
      (error, _output, problems) => {
        if (error === null) resolve()
        else if (/\b(ENOSPC|EDQUOT)\b/.test(problems)) reject(new UserError(diskIsFull(folder)))
        else reject(new UserError(`The CDK app does not synthesize:\n${problems.trim() || error.message}`))
      },
    )
  })

const diskIsFull = (folder: string): string =>
  `The disk is full: the templates cannot be written to ${folder}. Free some space, or choose another folder with --data.`

const hashSources = (): string => {
  const hash = createHash('sha256').update(process.version)
  const files = [
    ...sourceFiles.map((name) => join(projectFolder, name)),
    ...sourceFolders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    ),
  ]
  for (const file of files.filter((name) => existsSync(name)).toSorted()) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}
