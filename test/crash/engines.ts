import { execFileSync } from 'node:child_process'
import { type Engine, engines } from '../../infra/local/database/database.ts'

const hasJava = (): boolean => {
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' })
    return true
  } catch {
    console.log('DynamoDB Local is left out: there is no Java.')
    return false
  }
}

/** The engines that run on this machine. */
export const enginesHere: readonly Engine[] = hasJava() ? engines : ['dynalite']
