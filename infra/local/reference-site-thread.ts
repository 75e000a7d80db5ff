/** The thread of `reference-site.ts`: it builds the site, sends its files and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { buildSite } from '../reference/site.ts'

parentPort?.postMessage(buildSite(workerData))
