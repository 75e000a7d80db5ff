/** The destinations of the audit's lines: a file of the local environment, or a log group on AWS. */
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { DeployedAuditTrail, LocalAuditTrail, OpenAuditTrail, WriteLines } from './audit-destination.ts'

export type AuditTrail = LocalAuditTrail | DeployedAuditTrail

/** Path of the audit of a local environment. */
export const getAuditFile = (dataFolder: string): string => join(dataFolder, 'audit.jsonl')

/** @throws Error if the caller may not write to the destination */
export const openAuditTrail = async (trail: AuditTrail): Promise<OpenAuditTrail> => {
  if ('file' in trail) return openAuditFile(trail)
  // The clients of AWS take 10 MB of memory, which a local environment does not need.
  const { openAuditLog } = await import('./audit-log.ts')
  return openAuditLog(trail)
}

const openAuditFile = async ({ file }: LocalAuditTrail): Promise<OpenAuditTrail> => {
  const writeLines: WriteLines = async (lines) => {
    // A full disk or a kill leaves a part of a line. It stays a line of its own, so that the next ones can be parsed.
    const separator = endsInsideLine(file) ? '\n' : ''
    appendFileSync(file, separator + lines.map((line) => `${line}\n`).join(''))
  }
  return { who: userInfo().username, writeLines }
}

/** Whether the last line of a file has no end. */
const endsInsideLine = (file: string): boolean => {
  // `a+` creates the file if it does not exist, and allows reading.
  const descriptor = openSync(file, 'a+')
  try {
    const { size } = fstatSync(descriptor)
    const lastByte = Buffer.alloc(1)
    return size > 0 && readSync(descriptor, lastByte, 0, 1, size - 1) === 1 && lastByte.toString() !== '\n'
  } finally {
    closeSync(descriptor)
  }
}
