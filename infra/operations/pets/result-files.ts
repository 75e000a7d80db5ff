/** The files that an import writes: one with the new pets and their ids, and one with the conflicts. */
import { basename, join, parse, resolve } from 'node:path'
import { assignPetId } from '../../../shared/pets/pet.ts'
import { startProgress } from '../../command-line/long-work.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Environment } from '../environment/open-environment.ts'
import { doesFileExist, requireNewFile, writeNewFile } from './files.ts'
import type { ImportJournal } from './import-journal.ts'
import { chooseFormat, type WrittenRow, writeRows } from './rows/format.ts'
import type { StagedRows } from './staged-rows.ts'

interface ImportedFile {
  /** Absolute path of the imported file. */
  readonly file: string
  /** Absolute path of the result file, if the operator has named one. */
  readonly out?: string | undefined
}

/**
 * Names the environment in the names of files. Each data folder is an environment of its own, so its name stands for
 * the local environment.
 */
const nameEnvironment = ({ name, dataFolder = name }: Environment): string =>
  basename(resolve(dataFolder)).replace(/^\./, '')

/** Chooses the path of the file that gets the new pets with their ids. By default it is beside the imported file. */
export const chooseResultFile = (environment: Environment, { file, out }: ImportedFile): string => {
  if (out !== undefined) return out
  const { dir, name, ext } = parse(file)
  return join(dir, `${name}.imported-${nameEnvironment(environment)}${ext}`)
}

/** @throws UserError if the result file exists */
export const requireNewResultFile = (resultFile: string, { file, out }: ImportedFile): void => {
  if (out !== undefined) requireNewFile(out)
  if (!doesFileExist(resultFile)) return
  const sentences = [
    `${resultFile} is there: ${file} was imported before.`,
    `To add rows, append them to ${resultFile} and import that file: it adds no pet twice.`,
    `To import all rows of ${file} once more, name another file with --out.`,
  ]
  throw new UserError(sentences.join(' '))
}

/**
 * Chooses a path for the file of conflicts that no file has: beside the result file if the operator has named one,
 * otherwise beside the imported file.
 */
export const chooseConflictFile = (environment: Environment, { file, out = file }: ImportedFile): string => {
  const { dir, name, ext } = parse(out)
  const suffix = `conflicts-${nameEnvironment(environment)}`
  const [stem = name] = name.split(`.${suffix}`)
  for (let number = 1; ; number += 1) {
    const numberSuffix = number === 1 ? '' : `-${number}`
    const conflictFile = join(dir, `${stem}.${suffix}${numberSuffix}${ext}`)
    if (!doesFileExist(conflictFile)) return conflictFile
  }
}

/** Writes the new pets with their ids, and deletes the journal. */
export const writeResultFile = async (
  resultFile: string,
  rows: StagedRows,
  journal: ImportJournal,
  signal: AbortSignal,
): Promise<void> => {
  function* listAddedPets(): Generator<WrittenRow> {
    using progress = startProgress('rows written', rows.newCount)
    for (const batch of rows.listNewPets()) {
      for (const { line, values } of batch) {
        const id = journal.findStoredId(line)
        if (id === undefined) throw new Error(`The pet of line ${line} was not added.`)
        const pet = assignPetId(id, values)
        yield { pet, version: pet }
      }
      progress.count(batch.length)
    }
  }

  // An earlier run may have been killed between the appearance of the file and the end of its journal.
  const isWritten = journal.isResultBegun && doesFileExist(resultFile)
  if (!isWritten) {
    await writeNewFile(resultFile, writeRows(listAddedPets(), chooseFormat(resultFile)), signal, () => {
      requireNewFile(resultFile)
      journal.beginResult()
    })
  }
  journal.delete()
}
