import { readFileSync } from 'node:fs'
import { UserError } from '../command-line/user-error.ts'
import { isObject, type JsonObject } from '../synthesis/json.ts'

/** Reads the event with which a command invokes a function. @throws UserError when the file has none */
export const readEvent = (file: string): JsonObject => {
  try {
    const event: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isObject(event)) return event
  } catch {
    throw new UserError(`${file} is not a readable JSON file. Name a file with an event of API Gateway.`)
  }
  throw new UserError(`${file} is not an event: it must be a JSON object.`)
}
